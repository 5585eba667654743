/**
 * Replaces `$(NAME)` by the variable's value. `$$` is a literal dollar, and unknown names stay unchanged
 * (third_party/forked/golang/expansion). A name ends at the next closing parenthesis.
 */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  // No reference ends after the last parenthesis: searching for the end of each would be quadratic.
  const end = text.lastIndexOf(")") + 1;
  const head = text
    .slice(0, end)
    .replaceAll(/\$\$|\$\(([^)]*)\)/g, (whole: string, name?: string) =>
      name === undefined ? "$" : (variables.get(name) ?? whole),
    );
  return head + text.slice(end).replaceAll("$$", () => "$");
}
