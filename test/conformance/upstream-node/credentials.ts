import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes a kubeconfig for a user whose certificate the cluster's authority signs. Returns its path. */
export function writeCredentials(
  directory: string,
  { server, pki, subject }: { readonly server: string; readonly pki: string; readonly subject: string },
): string {
  const [key, request, certificate] = ["key", "csr", "crt"].map((end) => join(directory, `client.${end}`));
  const extensions = join(directory, "extensions");
  writeFileSync(extensions, "extendedKeyUsage=clientAuth\n");
  const openssl = (...words: readonly (string | undefined)[]) =>
    execFileSync("openssl", words.map(String), { stdio: ["ignore", "ignore", "pipe"] });
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  openssl("req", ...curve, "-subj", subject, "-keyout", key, "-out", request);
  const authority = ["-CA", join(pki, "ca.crt"), "-CAkey", join(pki, "ca.key"), "-set_serial", "0x1000"];
  openssl("x509", "-req", "-in", request, ...authority, "-extfile", extensions, "-out", certificate);
  const path = join(directory, "kubeconfig");
  const base64 = (file = "") => readFileSync(file).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": base64(join(pki, "ca.crt")) } }],
    users: [
      {
        name: "u",
        user: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) },
      },
    ],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}
