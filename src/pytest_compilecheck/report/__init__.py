"""Records to text and data; a renderer never measures."""
