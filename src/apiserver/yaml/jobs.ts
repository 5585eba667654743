/** A job of the YAML thread. Values are passed as JSON, because parsing JSON takes a tenth of the time. */
export type Job =
  | { readonly type: "parse"; readonly text: string; readonly exact: boolean }
  /** The JSON of a value, in pieces. */
  | { readonly type: "format"; readonly json: readonly Uint8Array[] };

export type JobAnswer =
  /** The text's value, and the duplicate keys of its maps. */
  | { readonly type: "parsed"; readonly json: string; readonly duplicates: readonly string[] }
  | { readonly type: "formatted"; readonly bytes: Uint8Array }
  /** The text is not YAML. */
  | { readonly type: "failed"; readonly message: string };
