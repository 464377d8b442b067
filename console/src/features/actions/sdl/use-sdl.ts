/** Editor languages for the action and its types, each aware of the other text. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../../api/context.ts';
import type { SdlLanguage } from '../../../ui/editor/editor-props.ts';
import type { CustomTypes } from '../actions-api.ts';
import { type KnownTypes, knownTypes, readDatabaseTypes } from './known-types.ts';
import { checkSdl, type SdlPart, typesIn } from './sdl-check.ts';

interface SdlLanguages {
  readonly action: { readonly sdl: SdlLanguage };
  readonly types: { readonly sdl: SdlLanguage };
}

const nothing: KnownTypes = new Map();

export function useSdlLanguages(typeText: string, types: CustomTypes): SdlLanguages {
  const client = useClient();
  const database = useQuery({
    queryKey: ['metadata', 'database-types'],
    queryFn: ({ signal }) => readDatabaseTypes(client, signal),
    staleTime: 60_000,
  });
  const known = useMemo(() => knownTypes(database.data ?? nothing, types), [database.data, types]);
  const own = useMemo(() => typesIn(typeText), [typeText]);
  const action = useMemo(
    () => languageOf('action', own === undefined ? undefined : new Map([...known, ...own])),
    [known, own],
  );
  const typed = useMemo(() => languageOf('types', known), [known]);
  return { action, types: typed };
}

function languageOf(part: SdlPart, known: KnownTypes | undefined): { readonly sdl: SdlLanguage } {
  const names = [...(known ?? [])].filter(([, kind]) => kind !== 'row').map(([name, kind]) => ({ name, kind }));
  return { sdl: { check: (text) => checkSdl(part, text, known), names } };
}
