"""What torch did: values, recorder, driver."""
