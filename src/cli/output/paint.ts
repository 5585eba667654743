import { styleText } from "node:util";

export type Style = "bold" | "dim" | "green" | "yellow" | "red" | "cyan";

/** Puts a style around a text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string;

/** Returns styles for a terminal that supports them, unless `NO_COLOR` is set. */
export function painter(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

export const plain: Paint = (_, text) => text;
