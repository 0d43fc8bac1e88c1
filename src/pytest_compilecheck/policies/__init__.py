"""Ways to live with changing shapes, compared: what each costs over a contract's trace."""
