/** The people, the group and the faults that the page offers. */
export const GROUP = { id: -1001000000001, title: 'Harbour office' }

export const PEOPLE = [
  { id: 1001, first_name: 'Ann', last_name: 'Berg', username: 'ann_berg' },
  { id: 1002, first_name: 'Milo', last_name: 'Okafor', username: 'milo' },
  { id: 1003, first_name: 'Yuki', username: 'yuki_h' },
]

export const SWITCHES = [
  {
    label: 'Cut the network',
    hint: 'Nothing gets through until it is switched off.',
    spec: { kind: 'drop_before', times: null },
    cuts: true,
  },
  {
    label: 'Next send: wait 5 s',
    hint: 'Refused with 429 and a time to wait.',
    spec: { kind: 'rate_limited', retryAfter: 5, method: 'sendMessage' },
  },
  {
    label: 'Next send: never arrives',
    hint: 'The connection ends before it is shown.',
    spec: { kind: 'drop_before', method: 'sendMessage' },
  },
  {
    label: 'Next send: arrives, unconfirmed',
    hint: 'It is shown, but the bot never learns it.',
    spec: { kind: 'drop_after', method: 'sendMessage' },
  },
  {
    label: 'Next send: server error',
    hint: 'Answered with 500.',
    spec: { kind: 'server_error', status: 500, method: 'sendMessage' },
  },
  {
    label: 'Refuse formatting once',
    hint: 'The next text is refused with 400.',
    spec: { kind: 'cannot_parse', method: 'sendMessage' },
  },
]
