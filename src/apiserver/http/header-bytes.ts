/** A header's value as Node takes it: a character for each byte of its UTF-8. Node refuses what is no byte. */
export function asBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}
