import { texts } from './texts.js'

/** The group that the page offers. */
export const GROUP = { id: -1001000000001, title: texts.group }

/** The people that the page offers. */
export const PEOPLE = [
  { id: 1001, first_name: 'Ann', last_name: 'Berg', username: 'ann_berg' },
  { id: 1002, first_name: 'Milo', last_name: 'Okafor', username: 'milo' },
  { id: 1003, first_name: 'Yuki', username: 'yuki_h' },
]
