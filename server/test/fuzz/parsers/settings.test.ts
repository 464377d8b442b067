/** Random settings, tokens, parameters and options: each is accepted, or rejected with an error that names it. */
import { isJsonObject } from '@joinery/metadata/json';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grantOf, sessionOfGrant } from '../../../src/auth/jwt/claims.ts';
import { JwtSecretText, type JwtSettings } from '../../../src/auth/jwt/settings.ts';
import { parseDatabaseUrl } from '../../../src/base/database-url.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { addressOf, InvalidAddressError } from '../../../src/base/http-client/address.ts';
import { parseJson } from '../../../src/base/json-value.ts';
import { parseNodeId } from '../../../src/plan/relay/node-id.ts';
import { readTarget } from '../../../src/postgres/wire/target.ts';
import { dumpArguments } from '../../../src/service/pg-dump/arguments.ts';
import { variablesFrom } from '../../../src/service/rest/variables.ts';
import { fuzz, unhurried } from '../seed.ts';
import { damaged, jsonText } from './json-texts.ts';

/** Runs it. Other errors than those of the class fail. */
function run<Result>(
  parse: () => Result,
  errors: abstract new (...given: never[]) => Error = ServiceError,
): Result | undefined {
  try {
    return parse();
  } catch (error) {
    expect(error).toBeInstanceOf(errors);
    return undefined;
  }
}

const urlPart = fc.constantFrom(
  ...[
    'postgres://',
    'postgresql://',
    'http://',
    'user',
    ':',
    'pa%20ss',
    '%',
    '%zz',
    '%ff',
    '@',
    'host',
    'h1,h2',
    ':5432',
    ':0',
    ':99999',
  ],
  ...[
    '[::1]',
    '/',
    'db',
    '/d%20b',
    '?',
    '&',
    'sslmode=require',
    'sslmode=x',
    'host=a,b',
    'port=1,2',
    'port=x',
    'connect_timeout=5',
  ],
  ...[
    'target_session_attrs=any',
    'options=-c%20a',
    'ssl=true',
    '#x',
    ' ',
    'é',
    '\\',
    '\0',
    'application_name=%',
    'user=%zz',
  ],
);
const url = fc.oneof(
  fc.array(urlPart, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
  fc.array(urlPart, { maxLength: 6 }).map((parts) => `postgres://user:secret-word@host:5432/db?${parts.join('')}`),
  damaged(
    fc.constantFrom('postgres://u:p@h1:1,h2:2/db?sslmode=require&connect_timeout=3', 'postgresql://%2Ftmp/db'),
    '%/:@?&=,[]#',
  ),
);

test('each host of an accepted database URL can be read', unhurried, () => {
  fc.assert(
    fc.property(url, (text) => {
      const parsed = run(() => parseDatabaseUrl(text));
      for (const host of parsed?.hosts ?? []) readTarget(host);
    }),
    fuzz(5_000),
  );
});

test('an error in a database URL does not show its password', unhurried, () => {
  fc.assert(
    fc.property(url, (text) => {
      try {
        parseDatabaseUrl(text);
      } catch (error) {
        expect(String(error)).not.toContain('secret-word');
      }
    }),
    fuzz(2_000),
  );
});

test('an address of a call is read or rejected as an invalid one', unhurried, () => {
  const address = fc.array(fc.oneof(urlPart, fc.constantFrom('https://', 'a:b@', '%e9@')), { maxLength: 6 });
  fc.assert(
    fc.property(
      address.map((parts) => `http://${parts.join('')}`),
      (text) => {
        run(() => addressOf(text), InvalidAddressError);
      },
    ),
    fuzz(3_000),
  );
});

const prefix = 'x-service-';
const path = fc.constantFrom('$', '$.a', "$['x']", '$.a[0]', '$.a[-1]', 'a', '', '$..', '$.roles');
const member = fc.oneof(
  fc.constantFrom(
    '',
    'x',
    0,
    -1,
    true,
    null,
    'json',
    'stringified_json',
    'HS256',
    'RS256',
    'a'.repeat(40),
    'https://example.com/keys',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const secret = fc
  .record(
    {
      type: fc.oneof({ weight: 4, arbitrary: fc.constant('HS256') }, member),
      key: fc.oneof({ weight: 4, arbitrary: fc.constant('k'.repeat(32)) }, member),
      jwk_url: member,
      claims_namespace: fc.oneof(fc.constant('claims'), member),
      claims_namespace_path: path,
      claims_format: fc.oneof(fc.constantFrom('json', 'stringified_json'), member),
      claims_map: fc.dictionary(
        fc.constantFrom('x-service-allowed-roles', 'X-Service-Default-Role', 'x-service-user-id', '__proto__'),
        fc.oneof(fc.record({ path, default: member }, { requiredKeys: ['path'] }), member, fc.constant(['user'])),
      ),
      audience: member,
      issuer: member,
      allowed_skew: fc.oneof(fc.constantFrom(0, 10), member),
      header: fc.constantFrom({ type: 'Authorization' }, { type: 'Cookie', name: 'a' }, { type: 'Cookie' }, 'x'),
    },
    { requiredKeys: ['type', 'key'] },
  )
  .map((settings) => JSON.stringify(settings));

test('a JWT setting is accepted or rejected with its issues', unhurried, () => {
  fc.assert(
    fc.property(fc.oneof(secret, damaged(secret), jsonText), (text) => {
      const { success, error } = JwtSecretText.safeParse(text);
      expect(success || (error?.issues.length ?? 0) > 0).toBe(true);
    }),
    fuzz(400),
  );
});

const settings: readonly JwtSettings[] = [
  {},
  { claims_format: 'stringified_json' },
  { claims_namespace: 'a' },
  { claims_namespace_path: '$.a' },
  {
    claims_map: {
      'x-service-allowed-roles': { path: '$.roles', default: ['user'] },
      'x-service-default-role': { path: '$.roles[0]', default: 'user' },
      'x-service-user-id': { path: '$.a.b' },
    },
  },
].map((own) => JwtSecretText.parse(JSON.stringify({ type: 'HS256', key: 'k'.repeat(32), ...own })));

const role = fc.constantFrom('', '', 'user', 'user', 'admin', ' ', 'a b', 'x'.repeat(300), 'ü');
const claims = fc.oneof(
  fc.record({ 'x-service-allowed-roles': fc.array(role, { maxLength: 3 }), 'x-service-default-role': role }),
  fc.record(
    {
      'x-service-allowed-roles': fc.oneof(fc.array(role, { maxLength: 3 }), fc.jsonValue({ maxDepth: 1 })),
      'X-Service-Default-Role': fc.oneof(role, fc.jsonValue({ maxDepth: 1 })),
      'x-service-user-id': fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: [] },
  ),
);
const claimValue = fc.oneof(
  claims,
  claims.map((one) => JSON.stringify(one)),
  fc.jsonValue({ maxDepth: 2 }),
);
const token = fc.record(
  {
    'https://hasura.io/jwt/claims': claimValue,
    a: claimValue,
    roles: fc.oneof(fc.array(role), fc.jsonValue({ maxDepth: 2 })),
    exp: fc.oneof(fc.integer(), fc.string()),
    scope: fc.oneof(fc.string(), fc.integer()),
  },
  { requiredKeys: [] },
);

test('the claims of a token result in a session of text variables, or in an error of the catalog', unhurried, () => {
  fc.assert(
    fc.property(token, fc.constantFrom(...settings), fc.option(role, { nil: undefined }), (read, own, requested) => {
      const session = run(() => sessionOfGrant(grantOf(read, own, prefix), requested, prefix));
      for (const [name, value] of session?.variables ?? []) {
        expect(name.startsWith(prefix)).toBe(true);
        expect(typeof value).toBe('string');
      }
    }),
    fuzz(4_000),
  );
});

const declared = (['text', 'number', 'boolean', 'json'] as const).flatMap((form) =>
  [false, true].map((list) => ({
    name: `${form}${list ? 's' : ''}`,
    type: list ? `[${form}!]` : form,
    required: false,
    list,
    form,
  })),
);
const name = fc.constantFrom(...declared.map((one) => one.name), 'other', '__proto__', 'a-b');
const text = fc.oneof(jsonText, fc.constantFrom('', '{1,2}', ' {', '[', 'true', '{}'), fc.string());

test('the variables of a REST request are read or rejected with the name of one', unhurried, () => {
  const request = fc.record({
    path: fc.array(fc.tuple(name, text), { maxLength: 2 }).map((pairs) => new Map(pairs)),
    query: fc
      .array(fc.tuple(name, fc.array(text, { minLength: 1, maxLength: 3 })), { maxLength: 3 })
      .map((pairs) => new Map(pairs)),
    body: fc.dictionary(name, fc.oneof(fc.jsonValue(), text), { maxKeys: 3 }),
    form: fc.boolean(),
  });
  fc.assert(
    fc.property(request, (values) => {
      const read = run(() => variablesFrom(declared, values));
      expect(read === undefined || isJsonObject(read)).toBe(true);
    }),
    fuzz(3_000),
  );
});

test('a JSON list in a query string is the value of a list variable', unhurried, () => {
  fc.assert(
    fc.property(
      jsonText.filter((written) => written.startsWith('[')),
      (written) => {
        const query = new Map([['jsons', [written]]]);
        expect(variablesFrom(declared, { path: new Map(), query, body: {}, form: false })).toEqual({
          jsons: parseJson(written),
        });
      },
    ),
    fuzz(1_500),
  );
});

const word = fc.oneof(
  fc.constantFrom(
    '--schema',
    '--schema=a',
    '-n',
    '-nPublic',
    '-Ox',
    '-F',
    'p',
    '-Fc',
    '--format=plain',
    '--file=x',
    '-f',
    'x',
    '--',
    '-',
  ),
  fc.constantFrom(
    '--toString',
    '-é',
    '--role=a\0',
    '--constructor=1',
    '-O\u{1F600}',
    '--schema=',
    '--no-owner=1',
    '-E',
    'UTF8',
  ),
  fc.string(),
);

test('options of a dump have permitted names, or are rejected', unhurried, () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      const read = run(() => dumpArguments(words, '$.opts')) ?? [];
      expect(
        read.filter((one) => !/^--[a-z-]+(?:=[^\0]*)?$/.test(one) || /^--(?:file|format|host|dbname)/.test(one)),
      ).toEqual([]);
    }),
    fuzz(3_000),
  );
});

test('an id of Relay is read as the row that it names, or is rejected', unhurried, () => {
  const id = fc.oneof(
    fc.tuple(fc.constant(1), fc.string(), fc.string(), fc.jsonValue()).map((items) => JSON.stringify(items)),
    jsonText,
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(id, fc.boolean(), (written, encoded) => {
      const read = run(() => parseNodeId(encoded ? Buffer.from(written).toString('base64') : written, '$'));
      expect(read === undefined || read.key.length > 0).toBe(true);
    }),
    fuzz(3_000),
  );
});
