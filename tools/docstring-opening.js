/** A lint rule: a docstring opens with a noun or a verb, so that its first word says what the name stands for or does. */

const refused = new Set(
  "What Whether How Where Who Whom Whose Which Why When If As In Of For Its It There To That This These They With".split(
    " ",
  ),
);

const advice =
  "A docstring opens with a noun or a verb: “The feasible nodes …”, “Returns …”, “Reports whether …”";

/** Returns the first word of a docstring, without the comment's frame. */
function firstWord(text) {
  return /^[\s*]*([A-Za-z]+)/.exec(text)?.[1];
}

export const docstringOpening = {
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (comment.type !== "Block" || !comment.value.startsWith("*")) continue;
        const word = firstWord(comment.value);
        if (refused.has(word))
          context.report({ loc: comment.loc, message: `${advice}, not with “${word}”.` });
      }
    },
  }),
};
