import { putBlocks } from './blocks.js'
import { arrange, formatSize, icon, make } from './parts.js'
import { texts } from './texts.js'

const REPLY = 'M10 7 5 12l5 5m-5-5h9a5 5 0 0 1 5 5v1'
const PICTURE = /\.(?:png|jpe?g|gif|webp)$/i

/** Drawn messages by id. An unchanged message keeps its element, and so its focus and position. */
let drawn = new Map()

/**
 * Shows a chat in `list`, which stays scrolled to its end.
 * @param view `{me, inGroup, details, ownFiles, reply(id, text)}`: details of messages by id, and the files that this
 *   page sent by id, which may be too large for the emulator to return.
 */
export function drawTranscript(list, lines, view) {
  const isAtEnd = drawn.size === 0 || list.scrollHeight - list.scrollTop - list.clientHeight < 80
  const now = new Map()
  const put = (key, what, draw) => {
    const words = JSON.stringify(what)
    const known = drawn.get(key)
    now.set(key, known?.words === words ? known : { words, item: draw() })
  }
  const findLine = (id) => lines.find(({ messageId }) => messageId === id)
  for (const line of lines) {
    const detail = view.details.get(line.messageId)
    const answered = detail?.replyTo ? findLine(detail.replyTo) : undefined
    const state = [line, view.me, answered?.text, detail?.blocks, detail?.contents, view.ownFiles.has(line.messageId)]
    put(line.messageId, state, () => lineItem(line, answered, detail, view))
  }
  if (now.size === 0) put('empty', '', () => make('li', 'empty', texts.empty))
  arrange(
    list,
    [...now.values()].map(({ item }) => item),
  )
  drawn = now
  if (isAtEnd) list.scrollTop = list.scrollHeight
}

/** Resets the transcript, so that the next chat is shown from its end. */
export const resetTranscript = () => {
  drawn = new Map()
}

function lineItem(line, answered, detail, view) {
  const { messageId, by, name, text, unfinished } = line
  const isMine = by === 'person' && name === view.me
  const bubble = make('div', 'bubble')
  if (view.inGroup && !isMine) bubble.append(make('p', 'from', name))
  if (answered)
    bubble.append(make('p', 'answered', make('strong', '', answered.name), make('span', '', excerpt(answered, view))))
  for (const [index, file] of line.files.entries()) {
    const content = detail?.contents?.[index]
    bubble.append(fileElement(file, content?.base64 ? content : (view.ownFiles.get(messageId)?.[index] ?? content)))
  }
  const body = make('div', 'body')
  putBlocks(body, detail?.blocks ?? [])
  if (unfinished) lastBlock(body).append(make('span', 'caret'))
  if (text !== '' || unfinished) bubble.append(body)
  bubble.append(metaLine(line, isMine))
  const classes = `message ${isMine ? 'mine' : 'theirs'}${by === 'bot' ? ' of-bot' : ''}${unfinished ? ' draft' : ''}`
  const item = make('li', classes, bubble, make('div', 'acts', replyButton(line, view)))
  if (unfinished) item.setAttribute('aria-live', 'off')
  return item
}

/** Returns the last paragraph or list item, where the text ends. */
const lastBlock = (body) => [...body.querySelectorAll('p, li, pre, h3')].at(-1) ?? body

/** Returns the beginning of a message, on one line and without markup. */
function excerpt({ messageId, text, files }, view) {
  if (text === '') return files[0] ?? texts.file
  const blocks = view.details.get(messageId)?.blocks ?? []
  const words = ({ spans, rows }) => rows?.flat() ?? spans?.map((span) => span.text) ?? []
  return blocks
    .map((block) => words(block).join(block.rows ? ' ' : ''))
    .join(' ')
    .slice(0, 120)
}

function metaLine({ atMs, edited, unfinished }, isMine) {
  const time = new Date(atMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  const meta = make('p', 'meta', unfinished ? texts.writing : edited && isMine ? texts.edited(time) : time)
  if (isMine) meta.append(icon('m5 12.5 4.5 4.5L19 7.5'))
  return meta
}

function replyButton(line, view) {
  const button = make('button', 'act', icon(REPLY))
  button.type = 'button'
  button.title = texts.reply
  button.setAttribute('aria-label', `${texts.reply}: ${excerpt(line, view).slice(0, 40)}`)
  button.addEventListener('click', () => view.reply(line.messageId, excerpt(line, view)))
  return button
}

function fileElement(name, content) {
  if (!content?.base64)
    return make('p', 'file', make('strong', '', name), make('small', '', content ? formatSize(content.size) : ''))
  const bytes = Uint8Array.from(atob(content.base64), (letter) => letter.charCodeAt(0))
  const isPicture = PICTURE.test(name) || isPictureContent(bytes)
  const address = URL.createObjectURL(new Blob([bytes], { type: isPicture ? 'image/*' : 'application/octet-stream' }))
  if (isPicture) {
    const image = make('img', 'photo')
    Object.assign(image, { src: address, alt: name })
    return image
  }
  const link = make('a', 'file', make('strong', '', name), make('small', '', formatSize(content.size)))
  Object.assign(link, { href: address, download: name })
  return link
}

/** Whether content is PNG, JPEG or GIF, whatever its name. */
const isPictureContent = ([first, second]) =>
  (first === 0x89 && second === 0x50) || (first === 0xff && second === 0xd8) || (first === 0x47 && second === 0x49)
