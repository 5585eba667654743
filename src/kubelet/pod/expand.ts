/**
 * Replaces `$(NAME)` by the variable's value; `$$` stands for a dollar, and unknown names stay as they are
 * (third_party/forked/golang/expansion).
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (whole: string, name: string | undefined) =>
    name === undefined ? "$" : (variables.get(name) ?? whole),
  );
}
