/** Thrown when a text is not a path, or a path does not fit the value. The message is client-go's. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}
