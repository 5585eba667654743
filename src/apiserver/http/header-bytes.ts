/**
 * Converts a header's value to a character for each byte of its UTF-8, because Node refuses other characters.
 */
export function asBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}
