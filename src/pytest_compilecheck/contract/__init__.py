"""What is promised: values, and the language in which they are written."""
