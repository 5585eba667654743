/**
 * Replaces `$(NAME)` by the variable's value. `$$` is a literal dollar, and unknown names stay unchanged
 * (third_party/forked/golang/expansion).
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (whole: string, name: string | undefined) =>
    name === undefined ? "$" : (variables.get(name) ?? whole),
  );
}
