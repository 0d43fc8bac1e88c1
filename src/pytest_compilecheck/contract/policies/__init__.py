"""Shape policies as a contract names them."""
