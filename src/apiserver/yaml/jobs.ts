/** What the YAML thread is asked, and what it answers. Values cross as JSON, which is read in a tenth of the time. */
export type Job =
  | { readonly type: "parse"; readonly text: string; readonly exact: boolean }
  /** The JSON of a value, in pieces. */
  | { readonly type: "format"; readonly json: readonly Uint8Array[] };

export type JobAnswer =
  /** The text's value, and the keys that stand twice in their map. */
  | { readonly type: "parsed"; readonly json: string; readonly duplicates: readonly string[] }
  | { readonly type: "formatted"; readonly bytes: Uint8Array }
  /** The text is no YAML. */
  | { readonly type: "failed"; readonly message: string };
