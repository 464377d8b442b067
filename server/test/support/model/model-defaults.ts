/** Members of a model that most tests of tables do not need: no stored operations, no limits. */
import type { Model } from '../../../src/model/model.ts';

export const unlimited: Pick<
  Model,
  'stored' | 'limits' | 'unreadable' | 'strictNullability' | 'apolloFederation' | 'traces'
> = {
  stored: { routes: [], allowed: { allRoles: [], byRole: new Map() }, documents: [] },
  limits: undefined,
  unreadable: new Set(),
  strictNullability: false,
  apolloFederation: false,
  traces: undefined,
};
