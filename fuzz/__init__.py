"""Random small programs, watched, with what is seen held against torch's own raw events."""
