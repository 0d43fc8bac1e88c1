def messages_page() -> str:
    return "# Messages\n"
