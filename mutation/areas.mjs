// What is mutated, by which tests, and the score that is required: the percentage of mutants that a test fails for. `slow` tests start
// services or a database; they run for the mutants that `tests` have not found.
// Only tests that run the code in their own process find mutants; those of child processes run the built packages.

const core = [
  'server/test/graphql/{cases,mutations,predicates}.test.ts',
  'server/test/graphql/rules/*.test.ts',
  'server/test/permissions/{computed-fields,inherited-cells,inherited-roles,insert-presets,row-rules}.test.ts',
];

/** All operations. */
const operations = [
  'server/test/graphql/**/*.test.ts',
  'server/test/operations/{merged-values,repeatable-reads}.test.ts',
  'server/test/permissions/*.test.ts',
];

/** Without tests that wait for the times of leases and retries, which would take minutes for each mutant. */
const claims = 'server/test/events/delivery/claim-statements.test.ts';

export const areas = {
  auth: {
    mutate: ['server/src/auth/**'],
    tests: ['server/src/auth/**/*.test.ts'],
    slow: ['server/test/http/authentication.test.ts', 'server/test/security/console-sign-in.test.ts'],
    score: 95,
  },
  egress: {
    mutate: ['server/src/base/http-client/{address,egress,egress-connect}.ts'],
    tests: ['server/src/base/http-client/*.test.ts'],
    score: 95,
  },
  signing: {
    mutate: ['server/src/events/webhook/signature.ts'],
    tests: ['server/src/events/webhook/*.test.ts', 'server/test/events/targets/*.test.ts'],
    score: 95,
  },
  leases: {
    mutate: ['server/src/events/leases/**'],
    tests: ['server/src/events/leases/*.test.ts', claims],
    score: 95,
  },
  claims: {
    mutate: [
      'server/src/events/scheduled/{claim,claim-range}.ts',
      'server/src/events/delivery/{claimed-events,claim-loop,claim-confirmer}.ts',
    ],
    tests: ['server/src/events/{delivery,leases,scheduled}/*.test.ts', claims],
    score: 95,
  },
  permissions: {
    mutate: ['server/src/model/permissions/**'],
    tests: ['server/src/model/permissions/*.test.ts'],
    slow: ['server/src/model/**/*.test.ts', ...core],
    score: 95,
  },
  predicates: {
    mutate: ['server/src/model/predicate/**'],
    tests: ['server/src/model/predicate/*.test.ts'],
    slow: ['server/src/model/**/*.test.ts', ...core],
    score: 95,
  },
  conditions: {
    mutate: ['server/src/print/predicate.ts'],
    tests: ['server/src/print/**/*.test.ts'],
    slow: core,
    score: 95,
  },
  plan: {
    mutate: ['server/src/plan/**'],
    tests: ['server/src/plan/**/*.test.ts'],
    slow: [...operations, 'server/test/{relationships,actions,remote-schemas}/*.test.ts'],
    score: 85,
  },
  print: { mutate: ['server/src/print/**'], tests: ['server/src/print/**/*.test.ts'], slow: operations, score: 85 },
  model: {
    mutate: ['server/src/model/**', '!server/src/model/{permissions,predicate}/**'],
    tests: ['server/src/model/**/*.test.ts'],
    slow: [...core, 'server/test/metadata-api/*.test.ts'],
    score: 85,
  },
};
