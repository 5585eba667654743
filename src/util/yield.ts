let waiting = 0;

/** Lets sockets and timers have a turn: busy loops call it now and then, since promises alone never do. */
export function yieldToSockets(): Promise<void> {
  waiting += 1;
  return new Promise((resolve) => {
    setImmediate(() => {
      waiting -= 1;
      resolve();
    });
  });
}

/** How many callers wait for their turn. A virtual clock stands still while there are any. */
export function waitingForTurn(): number {
  return waiting;
}
