import type { Expression } from "../ast.ts";
import type { Library } from "../declarations.ts";
import { variableName } from "../macros.ts";

/** `cel.bind(name, value, body)` (cel-go `ext.Bindings`). Kubernetes does not offer it to users. */
export const bindings: Library = {
  functions: [],
  macros: [
    {
      name: "bind",
      receiver: true,
      args: 3,
      expand: (make, target, variable: Expression, value: Expression, body: Expression) => {
        if (target.kind !== "identifier" || target.name !== "cel") return undefined;
        const name = variableName(variable, "cel.bind() variable names must be simple identifiers");
        return make.bind(name, value, body);
      },
    },
  ],
};
