/** What a model has that most tests of its tables do not ask about: no stored operations, no limits. */
import type { Model } from '../../../src/model/model.ts';

export const unlimited: Pick<Model, 'stored' | 'limits' | 'unreadable'> = {
  stored: { routes: [], allowed: { allRoles: [], byRole: new Map() }, documents: [] },
  limits: undefined,
  unreadable: new Set(),
};
