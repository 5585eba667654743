import { expect, test } from "vitest";
import { tokenReviews } from "../../src/api/authentication/v1.ts";
import { secrets } from "../../src/api/core/secret/schema.ts";
import { startCluster } from "../../src/testing/start-cluster.ts";
import { VirtualClock } from "../../src/util/virtual-clock.ts";

test("a Secret for a ServiceAccount gets a token, and the token authenticates as the account", async () => {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, nodes: 0 });
  const { client } = cluster;
  try {
    const api = client.of(secrets, "default");
    const annotations = { "kubernetes.io/service-account.name": "default" };
    const type = "kubernetes.io/service-account-token";
    await api.create({ metadata: { name: "s", annotations }, type });
    await clock.settle();
    const { data = {} } = await api.get("s");
    expect(Object.keys(data).sort()).toEqual(["ca.crt", "namespace", "token"]);
    const token = Buffer.from(data["token"] ?? "", "base64").toString();
    const review = async () => (await client.of(tokenReviews).create({ spec: { token } })).status;
    expect(await review()).toMatchObject({
      authenticated: true,
      user: { username: "system:serviceaccount:default:default" },
    });
    await api.delete("s");
    expect((await review())?.authenticated).not.toBe(true);
  } finally {
    await cluster.stop();
  }
});
