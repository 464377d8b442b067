/** Whether a banner above tells of a service that does not answer. */
import { createContext } from 'react';

export const BannerInset = createContext(false);
