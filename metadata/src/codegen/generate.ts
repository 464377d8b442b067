/** Generates TypeScript for the handlers of actions from the metadata. Pure. */

import { nearestName } from '../commands/edit/nearest-name.ts';
import type { Metadata } from '../metadata.ts';
import { type Action, CustomTypes } from '../schema/actions.ts';
import { batchedActions, type CallTypes, callTypes } from './calls.ts';
import { errorModule, type Framework, handlerModule, type Module, serverModule } from './handlers.ts';
import { comment, Names, property } from './layout.ts';
import { CodegenError, TypeScriptTypes } from './types.ts';

export interface CodegenOptions {
  /** Default: all. */
  readonly action?: readonly string[];
  readonly framework: Framework;
  /** Writes the types of all actions, also where only some handlers are written. */
  readonly allTypes?: boolean;
  readonly typesOnly?: boolean;
}

/** Returns the modules, `types.ts` first. Throws CodegenError for an unknown action. */
export function generate(metadata: Metadata, given: CodegenOptions, headerPrefix: string): readonly Module[] {
  const actions = metadata.actions ?? [];
  const wanted = wantedActions(actions, given.action);
  const names = new Names();
  const types = new TypeScriptTypes(metadata.custom_types ?? CustomTypes.parse({}), names);
  const context = { names, functions: new Names(), batched: batchedActions(metadata) };
  const typed = (given.allTypes === true ? actions : wanted).map((action) => callTypes(action, types, context));
  const calls = typed.filter(({ action }) => wanted.includes(action));
  const module = typesModule(typed, types, headerPrefix);
  if (given.typesOnly === true) return [module];
  const fileNames = new Names((name) => name.toLowerCase());
  const files = calls.map(({ action }) => fileNames.take(action.name));
  const handlers = calls.map((call, index) => handlerModule(call, files[index] ?? ''));
  return [module, errorModule, ...handlers, serverModule(calls, files, given.framework)];
}

/** All modules as one. */
export function inOneModule(modules: readonly Module[]): string {
  const external = modules.map((module) => module.external).join('');
  const texts = modules.map(({ text }) => text).join('\n');
  return external === '' ? texts : `${external}\n${texts}`;
}

function typesModule(calls: readonly CallTypes[], types: TypeScriptTypes, prefix: string): Module {
  const session =
    comment(['Of whoever asked, names in lower case.']) +
    `export interface SessionVariables {\n${property(`"${prefix.toLowerCase()}role"`, ['string'])}  [name: string]: string;\n}\n`;
  const generated = '// Written by "joinery actions codegen"; do not edit, run it again.\n';
  const text = [generated, session, ...calls.map((call) => call.text), ...types.declarations()].join('\n');
  return { file: 'types.ts', external: '', internal: '', text };
}

function wantedActions(actions: readonly Action[], names: readonly string[] | undefined): readonly Action[] {
  if (actions.length === 0) throw new CodegenError('the metadata has no actions');
  if (names === undefined) return actions;
  const known = actions.map(({ name }) => name as string);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    const hint = near === undefined ? `there are ${known.join(', ')}` : `did you mean "${near}"?`;
    throw new CodegenError(`there is no action "${name}"; ${hint}`);
  }
  return actions.filter(({ name }) => names.includes(name));
}
