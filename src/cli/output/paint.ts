import { styleText } from "node:util";

export type Style = "bold" | "dim" | "green" | "yellow" | "red" | "cyan";

/** Puts a style around a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

/** Styles where the stream is a terminal that shows them, and `NO_COLOR` is not set. */
export function painter(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

export const plain: Paint = (_, text) => text;
