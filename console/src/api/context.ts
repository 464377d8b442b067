/** The client of the signed-in user, for all components below the shell. */
import { createContext, useContext } from 'react';
import type { Client } from './client.ts';

export const ClientContext = createContext<Client | undefined>(undefined);

/** Throws outside of the shell, where there is no signed-in user. */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (client === undefined) throw new Error('useClient needs a signed-in user');
  return client;
}
