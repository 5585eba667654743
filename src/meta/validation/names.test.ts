import { describe, expect, test } from "vitest";
import { describe as textOf, type FieldError, root } from "../field-error.ts";
import { labelKeyProblems, labelValueProblems } from "../label-syntax.ts";
import {
  label1035Problems,
  labelProblems,
  subdomainProblems,
  underscoredSubdomainProblems,
  wildcardProblems,
} from "./dns.ts";
import { validateDomainPath } from "./domain-path.ts";
import { idProblems, percentOf, portNameProblems } from "./number.ts";
import { validateFieldManager } from "./object-meta.ts";
import {
  configKeyProblems,
  envNameProblems,
  headerNameProblems,
  lengthProblems,
  pathSegmentProblems,
  percentProblems,
} from "./text.ts";

const a = (count: number) => "a".repeat(count);
const words = (text: string) => text.split(" ");
const path = root.child("f");
const texts = (found: Iterable<FieldError>) => [...found].map(textOf);

const badOnes = [
  ...words("A ABC aBc A1 A-1 1-A - a- -a 1- -1 _ a_ _a a_b 1_ _1 1_2 . a. .a 1. .1"),
  "",
  " ",
  "a ",
  " a",
  "a b",
  "1 ",
  " 1",
  "1 2",
];
const plain = words("a ab abc a1 a-1 a--1--2--b");
const digits = words("0 01 012 1a 1-a 1--a--b--2");
const dotted = words("a.a ab.a a-1.a 0.a 1-a.1 a.b.c.d.e 1.2.3.4.5 11.22.33.44.55");
const keys = [
  ...words("simple now-with-dashes 1-starts-with-num 1234 simple/simple 1-num.2-num/3-num 1.2.3.4/5678"),
  ...words("Uppercase_Is_OK_123 example.com/Uppercase_Is_OK_123 requests.storage-foo"),
  a(63),
  `${a(253)}/${a(63)}`,
];
const headers = "Accept-Encoding Host X-Forwarded-For a -a a- a--1--2--b --abc-123 A AbC A1 --123-ABC";
const badHeaders = "Host: X-Forwarded-For: X-@Home _ a_ . a.b 1.2 #a# ^ , ; = < ? @ {";
const domainPaths =
  "a/b a/b/c/d a.com/foo a.b.c.d/foo k8s.io/FOO/BAR 10.0.0.1/foo hyphens-are-good.k8s.io/in-paths";
const badDomainPaths =
  ". ... /b com a.b.c.d/foo?a=b a.b.c.d/foo#a Dev.k8s.io .foo.example.com/a *.example.com/a example.com/foo{}[]@^` underscores_are_bad.k8s.io/foo foo@bar.example.com/foo a/";
const envNames = "- : _ +a >a <a a. a.. *a %a ?a a:a a_a aAz ~a |a a0a a9 /a #a 0a 'a (a @a";

/** After the tables of apimachinery's `validation_test.go` and `api/validate/content`. */
const rules: readonly [
  rule: string,
  problems: (value: string) => readonly string[],
  good: readonly string[],
  bad: readonly string[],
][] = [
  ["a DNS label", labelProblems, [...plain, ...digits, a(63)], [...badOnes, "a.b", a(64)]],
  [
    "a DNS subdomain",
    subdomainProblems,
    [...plain, ...digits, ...dotted, a(253)],
    [...badOnes, ...words("a..b 1..2 A.a ab.A a.B.c a@b a,b a;b a:b a%b a?b a$b"), a(254)],
  ],
  [
    "a DNS label that starts with a letter",
    label1035Problems,
    [...plain, a(63)],
    [...badOnes, ...digits, "a.b", a(64)],
  ],
  [
    "a search domain",
    underscoredSubdomainProblems,
    [
      ...words("example.com _example.com sub._example.com sub-domain.example.com sub_domain.example.com"),
      a(253),
    ],
    [...words("Example.com -example.com example.com- example@.com example..com _"), "", a(254)],
  ],
  [
    "a host with a wildcard",
    wildcardProblems,
    [...words("*.example.com *.bar.com *.foo.bar.com"), `*.${a(251)}`],
    [...words("*.*.bar.com *.foo.*.com *bar.com f*.bar.com *"), `*.${a(252)}`],
  ],
  [
    "a port name",
    portNameProblems,
    words("telnet re-mail-ck pop3 a a-1 1-a a-1-b-2-c 1-a-2-b-3"),
    [...words("longerthan15characters 12345 1-2-3-4 -begin end- two--hyphens whois++"), "", a(16)],
  ],
  [
    "a label key",
    labelKeyProblems,
    keys,
    [
      ...words("nospecialchars%^=@ cantendwithadash- -cantstartwithadash- only/one/slash Example.com/abc"),
      ...words("example_com/abc example.com/ /simple"),
      a(64),
      `${a(254)}/abc`,
    ],
  ],
  [
    "a label value",
    labelValueProblems,
    [...words("simple now-with-dashes 1-starts-with-num end-with-num-1 1234"), a(63), ""],
    [
      ...words("nospecialchars%^=@ Tama-nui-te-rā.is.Māori.sun \\backslashes\\are\\bad -starts-with-dash"),
      ...words("ends-with-dash- .starts.with.dot ends.with.dot."),
      a(64),
    ],
  ],
  ["the name of an HTTP header", headerNameProblems, words(headers), [...words(badHeaders), "", " ", "a b"]],
  [
    "a percentage",
    percentProblems,
    words("0% 00000% 1% 01% 99% 100% 101%"),
    [...words("0 100 0.0% 99.9% hundred -0% -1% +1%"), "", " 1%", "1% "],
  ],
  [
    "a config key",
    configKeyProblems,
    [
      ...words("a good good-good still.good this.is.also.good .so.is.this THIS_IS_GOOD so_is_this_17"),
      a(253),
    ],
    [...words(". .. ..bad b*d bad!&bad"), a(254)],
  ],
  [
    "the name of an environment variable",
    envNameProblems,
    [...words(envNames), "a ", "0 a"],
    [...words("= a= 1=a a=b #%=&&"), "", "\u0001abc", "\u0082abc", "Ç ç", "Ñ ñ"],
  ],
  [
    "a path segment",
    pathSegmentProblems,
    [...words("foo foo.bar.baz sha256:ABCDEF012345@ABCDEF012345 Iñtërnâtiônàlizætiøn .test ..test"), ""],
    words(". .. foo/bar foo%bar"),
  ],
  [
    "a path with a domain",
    (value) => texts(validateDomainPath(value, path)),
    [...words(domainPaths), `${a(240)}.k8s.io/a`, `k8s.io/${a(240)}`],
    [...words(badDomainPaths), "", `${a(247)}.k8s.io/a`],
  ],
  [
    "a field manager",
    (value) => texts(validateFieldManager(value, path)),
    ["filedManager", "你好", "🍔"],
    ["field\nmanager", "fieldManager\n", a(129)],
  ],
];

describe.each(rules)("%s", (_, problems, good, bad) => {
  test("is accepted", () => expect(good.filter((one) => problems(one).length > 0)).toEqual([]));
  test("is refused when its form is wrong", () =>
    expect(bad.filter((one) => problems(one).length === 0)).toEqual([]));
});

test.each([
  [labelProblems, "a.b", ["must not contain dots"]],
  [configKeyProblems, ".", ["must not be '.'"]],
  [configKeyProblems, "..", ["must not be '..'"]],
  [configKeyProblems, "..a", ["must not start with '..'"]],
  [pathSegmentProblems, ".", ["may not be '.'"]],
  [pathSegmentProblems, "..", ["may not be '..'"]],
  [pathSegmentProblems, "a%/", ["may not contain '/'", "may not contain '%'"]],
  [labelKeyProblems, "/a", ["prefix part must be non-empty"]],
])("%o of %j are %j", (problems, name, expected) => {
  expect(problems(name)).toEqual(expected);
});

test("lengths count bytes", () => {
  expect(lengthProblems("é", 2)).toEqual([]);
  expect(lengthProblems("é", 1)).toEqual(["must be no more than 1 characters"]);
});

test("user and group IDs are non-negative 32-bit integers", () => {
  expect([0, 1, 65_535, 2_147_483_647].flatMap(idProblems)).toEqual([]);
  expect([-1, -1003, 2_147_483_648, 4_147_483_647].flatMap(idProblems)).toHaveLength(4);
  expect(percentOf("007%")).toBe(7);
});
