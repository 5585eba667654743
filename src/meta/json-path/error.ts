/** The text is no path, or the path does not fit the value. The message is client-go's. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}
