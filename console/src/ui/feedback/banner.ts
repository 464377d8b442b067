/** Whether a banner above reports that the service is unreachable. */
import { createContext } from 'react';

export const BannerInset = createContext(false);
