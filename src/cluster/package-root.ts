/** The package's own folder, with a slash at its end. This file is two folders deep in src, dist and the bundle alike. */
export const packageRoot = new URL("../../", import.meta.url);
