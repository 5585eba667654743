/** The start of the names of all Pods' links on the host. */
export const linkPrefix = "kn";

/**
 * Returns the name of a Pod link's host end: the prefix and the start of the sandbox's ID, because names have 15
 * characters.
 */
export function linkName(sandbox: string): string {
  return `${linkPrefix}${sandbox.slice(0, 12)}`;
}
