/** Parses `JOINERY_JWT_SECRET`: how tokens are verified and where their claims are. */
import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import { type JsonPathStep, parseJsonPath } from '../../base/json-path.ts';

const text = z.string().min(1, 'must not be empty');

/** A JSON path such as `$.user.roles[0]` or `$.['https://example.com/claims'].id`, as written and parsed. */
const ClaimPath = z.string().transform((written, context): ClaimPath => {
  try {
    const steps = parseJsonPath(written);
    if (steps.every((step) => typeof step === 'string' || step >= 0)) return { written, steps };
    context.addIssue({ code: 'custom', message: 'must be a JSON path without negative indexes' });
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof ServiceError ? error.message : String(error) });
  }
  return z.NEVER;
});
export interface ClaimPath {
  readonly written: string;
  readonly steps: readonly JsonPathStep[];
}

const MappedClaim = z.union([
  // As in Hasura v2, null is no default.
  z.strictObject({
    path: ClaimPath,
    default: z
      .unknown()
      .transform((value) => value ?? undefined)
      .optional(),
  }),
  z.string(),
  z.array(z.string()),
]);
export type MappedClaim = z.infer<typeof MappedClaim>;

/** The name of a kind of header in any case, as Hasura v2 reads it. */
const headerType = <Name extends string>(name: Name) =>
  z
    .string()
    .refine((written) => written.toLowerCase() === name.toLowerCase(), `must be ${name}`)
    .transform((): Name => name);

const TokenHeader = z
  .union([
    z.strictObject({ type: headerType('Authorization') }),
    z.strictObject({ type: headerType('Cookie'), name: text }),
    z.strictObject({ type: headerType('CustomHeader'), name: text }),
  ])
  .default({ type: 'Authorization' });
export type TokenHeader = z.infer<typeof TokenHeader>;

const rsa = ['RS256', 'RS384', 'RS512'];
const pss = ['PS256', 'PS384', 'PS512'];
/** The curve of the key permits one of them. */
const ecdsa = ['ES256', 'ES384', 'ES512'];
const edwards = ['EdDSA', 'Ed25519'];

/** The accepted algorithms by `type`. As in Hasura v2, the type of a public key names a family: `RS512` accepts `RS256` too. */
const algorithms = {
  HS256: ['HS256'],
  HS384: ['HS384'],
  HS512: ['HS512'],
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: pss,
  PS384: pss,
  PS512: pss,
  ES256: ecdsa,
  ES384: ecdsa,
  ES512: ecdsa,
  Ed25519: edwards,
  EdDSA: edwards,
} as const satisfies Readonly<Record<string, readonly string[]>>;

const Algorithm = z.enum(Object.keys(algorithms) as [keyof typeof algorithms, ...(keyof typeof algorithms)[]]);

/** Fewest bytes of a shared secret: as many as the hash has. */
const shortest: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

const JwtSecret = z
  .strictObject({
    type: Algorithm.optional(),
    key: text.optional(),
    jwk_url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
    claims_namespace: text.optional(),
    claims_namespace_path: ClaimPath.optional(),
    claims_format: z.enum(['json', 'stringified_json']).default('json'),
    claims_map: z.record(z.string(), MappedClaim).optional(),
    audience: z.union([text, z.array(text).min(1)]).optional(),
    issuer: text.optional(),
    /** Allowed difference of clocks in seconds, also a fraction. */
    allowed_skew: z.number().min(0).default(0),
    header: TokenHeader,
  })
  .superRefine((settings, context) => {
    const problem = (message: string, key: string) => context.addIssue({ code: 'custom', message, path: [key] });
    if ((settings.jwk_url === undefined) === (settings.key === undefined)) {
      problem('give either "key" with "type", or "jwk_url"', 'key');
    }
    if (settings.key !== undefined && settings.type === undefined) problem('must name the algorithm of "key"', 'type');
    if (settings.claims_namespace !== undefined && settings.claims_namespace_path !== undefined) {
      problem('give either "claims_namespace" or "claims_namespace_path"', 'claims_namespace_path');
    }
    const minimum = settings.type === undefined ? undefined : shortest[settings.type];
    if (settings.key !== undefined && minimum !== undefined && Buffer.byteLength(settings.key) < minimum) {
      problem(`${settings.type} needs a key of at least ${minimum} bytes`, 'key');
    }
  });

export type JwtSettings = z.output<typeof JwtSecret>;

/** Returns the algorithms that tokens may have; undefined for a JWK set without `type`, whose keys name them. */
export function algorithmsOf({ type }: JwtSettings): readonly string[] | undefined {
  return type === undefined ? undefined : algorithms[type];
}

/** Returns what is wrong with the roles in `claims_map`, or undefined. `prefix` is lower case, such as `x-service-`. */
export function claimsMapError({ claims_map: map }: JwtSettings, prefix: string): string | undefined {
  if (map === undefined) return undefined;
  const claims = new Map(Object.entries(map).map(([name, claim]) => [name.toLowerCase(), claim]));
  const allowed = claims.get(`${prefix}allowed-roles`);
  const defaultRole = claims.get(`${prefix}default-role`);
  if (allowed === undefined) return `"claims_map" must contain "${prefix}allowed-roles"`;
  if (defaultRole === undefined) return `"claims_map" must contain "${prefix}default-role"`;
  if (typeof allowed === 'string') return `"${prefix}allowed-roles" in "claims_map" must be a path or a list of roles`;
  if (Array.isArray(defaultRole)) return `"${prefix}default-role" in "claims_map" must be a path or a role`;
  const defaultRoles = defaultOf(allowed);
  if (defaultRoles !== undefined && !z.array(z.string()).safeParse(defaultRoles).success) {
    return `the default of "${prefix}allowed-roles" in "claims_map" must be a list of roles`;
  }
  const fallback = defaultOf(defaultRole);
  if (fallback !== undefined && !text.safeParse(fallback).success) {
    return `the default of "${prefix}default-role" in "claims_map" must be a role`;
  }
  return undefined;
}

function defaultOf(claim: MappedClaim): unknown {
  return typeof claim === 'string' || Array.isArray(claim) ? undefined : claim.default;
}

function fromJson(written: string, context: z.RefinementCtx<string>): unknown {
  try {
    return JSON.parse(written);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
}

/** Parses the value of `JOINERY_JWT_SECRET`. */
export const JwtSecretText = z.string().transform(fromJson).pipe(JwtSecret);

/** Parses the value of `JOINERY_JWT_SECRETS`. */
export const JwtSecretsText = z
  .string()
  .transform(fromJson)
  .pipe(z.array(JwtSecret).min(1))
  .refine((all) => !hasAmbiguousIssuer(all), 'two of them have the same issuer, or none, for tokens of the same place');

/** Whether the issuer of a token does not determine one of the settings that read it from its place. */
export function hasAmbiguousIssuer(all: readonly JwtSettings[]): boolean {
  return new Set(all.map((one) => JSON.stringify([placeOf(one), one.issuer]))).size < all.length;
}

/** Returns the name of the place of tokens. Names of headers are case-insensitive, those of cookies are not. */
export function placeOf({ header }: JwtSettings): string {
  switch (header.type) {
    case 'Authorization':
      return header.type;
    case 'Cookie':
      return `cookie ${header.name}`;
    case 'CustomHeader':
      return `header ${header.name.toLowerCase()}`;
    default:
      return header satisfies never;
  }
}
