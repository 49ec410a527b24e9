import { flag } from './kind.ts'
import { setting } from './setting.ts'

/** The list of one's sessions: `USERSESSIONS_…`. */
export const USERSESSIONS = {
  enabled: setting({ name: 'USERSESSIONS_ENABLED', kind: flag, fallback: false, about: 'Enables the module.' }),
  trackActivity: setting({
    name: 'USERSESSIONS_TRACK_ACTIVITY',
    kind: flag,
    fallback: false,
    about: "Stores the IP address, browser, and time of each session's last request.",
  }),
}
