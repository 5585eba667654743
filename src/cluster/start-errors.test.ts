import { expect, test } from "vitest";
import { StoreFailedError } from "../store/errors.ts";
import { directoryError, listenError } from "./start-errors.ts";

const coded = (code: string) => Object.assign(new Error(`${code}: it failed`), { code });

test.each([
  ["EADDRINUSE", "127.0.0.1", "Cannot listen on 127.0.0.1:6443: another program has this port"],
  ["EACCES", "127.0.0.1", "Cannot listen on 127.0.0.1:6443: this port is for root alone"],
  ["EADDRNOTAVAIL", "::1", "Cannot listen on [::1]:6443: this machine has no such address"],
  ["ENOTFOUND", "no.such.host", "Cannot listen on no.such.host:6443: this machine has no such address"],
  ["EMFILE", "127.0.0.1", "Cannot listen on 127.0.0.1:6443: EMFILE: it failed"],
])("an address that fails with %s says what to do", (code, host, message) => {
  const error = listenError(coded(code), host, 6443);
  expect(error.message).toContain(message);
  expect(error.cause).toMatchObject({ code });
});

test.each<[unknown, string | undefined]>([
  [coded("ENOSPC"), "the disk is full"],
  [coded("EDQUOT"), "the disk quota is used up"],
  [coded("EROFS"), "the file system is read-only"],
  [coded("EACCES"), "its files are not this user's"],
  [coded("EPERM"), "its files are not this user's"],
  [coded("ENOTDIR"), "a part of the path is no directory"],
  [new StoreFailedError(new Error("database or disk is full")), "the disk is full"],
  [new Error("Cannot start", { cause: new Error("database or disk is full") }), "the disk is full"],
  [coded("ECONNREFUSED"), undefined],
  [new StoreFailedError(new Error("disk I/O error")), undefined],
  [coded("constructor"), undefined],
  ["no error at all", undefined],
  [undefined, undefined],
])("what went wrong with a directory, %s, says what to do where that is known", (error, why) => {
  const told = directoryError(error, "/data");
  if (why === undefined) expect(told).toBe(error);
  else {
    expect(told).toMatchObject({ message: expect.stringContaining(`Cannot use /data: ${why}`) });
    expect(told).toMatchObject({ cause: error });
  }
});
