import { flag } from './kind.ts'
import { setting } from './setting.ts'

/** The list of one's sessions: `USERSESSIONS_…`. */
export const USERSESSIONS = {
  enabled: setting({ name: 'USERSESSIONS_ENABLED', kind: flag, fallback: false, about: 'Switches the module on.' }),
  trackActivity: setting({
    name: 'USERSESSIONS_TRACK_ACTIVITY',
    kind: flag,
    fallback: false,
    about: 'Keeps address, browser and time of the last request of each session.',
  }),
}
