import { docstringOpening } from "./docstring-opening.js";
import { noPlainTables } from "./no-plain-tables.js";

/** Knarr's own lint rules, as a plugin of oxlint. */
export default {
  meta: { name: "knarr" },
  rules: { "docstring-opening": docstringOpening, "no-plain-tables": noPlainTables },
};
