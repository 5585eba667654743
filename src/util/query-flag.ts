/** Reports whether a flag of a query is set, as upstream converts booleans: anything but `0` and `false`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value !== "false";
}
