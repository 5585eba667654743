import type { ApiRequest, Caller, RequestBody } from "../../meta/exchange.ts";

/** A request from a connection. Parts that few requests need are computed at their first use. */
export class WireRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: ApiRequest["headers"];
  readonly body: RequestBody;
  readonly caller: Caller;
  readonly search: string;
  readonly #gone: Gone;
  #query: URLSearchParams | undefined;

  constructor(
    { method, url }: { readonly method: string; readonly url: string },
    headers: ApiRequest["headers"],
    body: RequestBody,
    caller: Caller,
    gone: Gone,
  ) {
    const cut = url.indexOf("?");
    this.method = method;
    this.path = cut < 0 ? url : url.slice(0, cut);
    this.headers = headers;
    this.body = body;
    this.caller = caller;
    this.search = cut < 0 ? "" : url.slice(cut + 1);
    this.#gone = gone;
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.search));
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }
}

/**
 * One shared error, because creating an error with its stack is the most expensive part of aborting a signal.
 */
const connectionClosed = new Error("The connection was closed");

/**
 * Records whether a client has disconnected. Its signal is created only on use, because signals are expensive
 * and most answers need none.
 */
export class Gone {
  #gone = false;
  #controller: AbortController | undefined;

  get is(): boolean {
    return this.#gone;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#gone) this.#controller.abort(connectionClosed);
    }
    return this.#controller.signal;
  }

  set(): void {
    this.#gone = true;
    this.#controller?.abort(connectionClosed);
  }
}
