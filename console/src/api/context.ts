/** The client of the signed-in user, for every component below the shell. */
import { createContext, useContext } from 'react';
import type { Client } from './client.ts';

export const ClientContext = createContext<Client | undefined>(undefined);

/** Throws where nobody has signed in yet, which only a misplaced component can bring about. */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (client === undefined) throw new Error('useClient needs a signed-in user');
  return client;
}
