import { fileAddress } from './control.js'
import { putFormatted } from './format.js'
import { arrange, icon, make, nameOf, sizeOf } from './parts.js'

const ANSWER = 'M10 7 5 12l5 5m-5-5h9a5 5 0 0 1 5 5v1'
const EDIT = 'm5 19 1-4L16.5 4.5a2 2 0 0 1 3 3L9 18l-4 1Z'

/** What was drawn last, by message: one that did not change keeps its element, and so focus and place. */
let drawn = new Map()

/**
 * Shows a conversation in `list`, and stays at its end when it was there.
 * @param view Whose eyes: `{me, inGroup, answer(id, text), edit(id, text)}`.
 */
export function drawMessages(list, { chat, messages, drafts }, view) {
  const isAtEnd = drawn.size === 0 || list.scrollHeight - list.scrollTop - list.clientHeight < 80
  const now = new Map()
  const put = (key, what, draw) => {
    const words = JSON.stringify([view.me, what])
    const known = drawn.get(key)
    now.set(key, known?.words === words ? known : { words, item: draw() })
  }
  for (const shown of messages) put(`${chat.id}:${shown.messageId}`, shown, () => messageItem(shown, view))
  for (const draft of drafts) put(`${chat.id}:draft ${draft.draftId}`, draft, () => draftItem(draft))
  if (now.size === 0) put('empty', '', () => make('li', 'empty', 'Nothing here yet. Say hello.'))
  arrange(
    list,
    [...now.values()].map(({ item }) => item),
  )
  drawn = now
  if (isAtEnd) list.scrollTop = list.scrollHeight
}

/** Whatever is shown next is shown from its end. */
export const forgetMessages = () => {
  drawn = new Map()
}

function messageItem({ message, reactions, method, text }, view) {
  const isMine = message.from?.id === view.me
  const bubble = make('div', 'bubble')
  if (view.inGroup && !isMine) bubble.append(make('p', 'from', nameOf(message.from ?? { first_name: '' })))
  if (message.reply_to_message) bubble.append(quoteOf(message))
  putFile(bubble, message)
  const body = make('div', 'body')
  putFormatted(body, text, message.entities ?? message.caption_entities)
  if (text !== '') bubble.append(body)
  bubble.append(metaOf(message, isMine))
  if (reactions.length > 0) bubble.append(make('p', 'reactions', reactions.map(({ emoji }) => emoji ?? '').join(' ')))
  const acts = make(
    'div',
    'acts',
    act(ANSWER, `Answer: ${text.slice(0, 40)}`, () => view.answer(message.message_id, text)),
  )
  if (isMine) acts.append(act(EDIT, `Edit: ${text.slice(0, 40)}`, () => view.edit(message.message_id, text)))
  return make('li', `message ${isMine ? 'mine' : 'theirs'}${method === '' ? '' : ' of-bot'}`, bubble, acts)
}

function metaOf({ date, edit_date: editDate }, isMine) {
  const time = new Date(date * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const meta = make('p', 'meta', `${editDate ? 'edited ' : ''}${time}`)
  if (isMine) meta.append(icon('m5 12.5 4.5 4.5L19 7.5'))
  return meta
}

function act(path, label, run) {
  const button = make('button', 'act', icon(path))
  button.type = 'button'
  button.title = label.slice(0, label.indexOf(':'))
  button.setAttribute('aria-label', label)
  button.addEventListener('click', run)
  return button
}

function quoteOf({ reply_to_message: answered, quote }) {
  const words = quote?.text ?? answered.text ?? answered.caption ?? 'File'
  return make('p', 'answered', make('strong', '', nameOf(answered.from)), make('span', '', words.slice(0, 120)))
}

function putFile(bubble, message) {
  const photo = message.photo?.at(-1)
  const file = photo ?? message.document ?? message.voice ?? message.audio ?? message.video
  if (!file) return
  const address = fileAddress(file.file_id)
  if (photo) {
    const image = make('img', 'photo')
    Object.assign(image, { src: address, alt: message.caption ?? 'Photo', width: photo.width, height: photo.height })
    return bubble.append(image)
  }
  const name = file.file_name ?? 'Voice message'
  const link = make('a', 'file', make('strong', '', name), make('small', '', sizeOf(file.file_size)))
  Object.assign(link, { href: address, download: file.file_name ?? 'voice.oga' })
  bubble.append(link)
}

function draftItem({ text, entities }) {
  const body = make('div', 'body')
  putFormatted(body, text, entities)
  body.append(make('span', 'caret'))
  const item = make('li', 'message theirs of-bot draft', make('div', 'bubble', body, make('p', 'meta', 'writing')))
  item.setAttribute('aria-live', 'off')
  return item
}
