/** Text with characters that could forge or hide terminal output. */
export const unsafe = "first\u001b[2J\u202e\r\nsecond";

/** The same text as it is written to the terminal. */
export const safe = "first\\u{1b}[2J\\u{202e}\\r\nsecond";
