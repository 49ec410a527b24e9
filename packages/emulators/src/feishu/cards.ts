import { isRecord } from '../kit/http.ts'
import { type Answer, invalidParameter, parseInnerJson, success, apiError, toText } from './answer.ts'
import { plainContent, type ShownContent } from './shown-content.ts'
import type { FeishuState } from './state.ts'

type Json = Readonly<Record<string, unknown>>

interface Card {
  readonly id: string
  json: Json
  /** Streamed texts by element. */
  readonly streamed: Map<string, string>
  streaming: boolean
  streamingUntilMs: number
  sequence: number
  readonly uuids: Set<string>
  /** Messages that show the card. */
  readonly messageIds: string[]
  readonly untilMs: number
  /** Times of recent operations, for the rate limit. */
  operations: readonly number[]
}

const CARD_LIFE_MS = 14 * 86_400_000
const CARD_BYTES = 30 * 1024
const ELEMENT_CHARACTERS = 30_000
const OPERATIONS_PER_SECOND = 10

/** Card entities: creation, display in messages, streaming. */
export class Cards {
  readonly #state: FeishuState
  readonly #streamLifeMs: number
  readonly #isLimited: boolean
  readonly #ended: AbortSignal
  readonly #cards = new Map<string, Card>()

  /** @param closing Aborts when the emulator closes. */
  constructor(state: FeishuState, streamLifeMs: number, isLimited: boolean, closing: AbortSignal) {
    this.#state = state
    this.#streamLifeMs = streamLifeMs
    this.#isLimited = isLimited
    this.#ended = closing
  }

  /** Handles the creation of a card. */
  create(body: Json): Answer {
    const json = parseInnerJson(body['data'])
    if (body['type'] !== 'card_json' || json === null) return apiError(200220, 'Failed to generate card content')
    if (Buffer.byteLength(toText(body['data'])) > CARD_BYTES) return apiError(200860)
    if (json['schema'] !== '2.0' || !isCard(json)) return apiError(200220, 'Failed to generate card content')
    return success({ card_id: this.#storeCard(json).id })
  }

  /** Returns the content of an `interactive` message, or the error. */
  toShownContent(content: Json): ShownContent | Answer {
    const data = content['data']
    if (content['type'] === 'card' && isRecord(data)) {
      const card = this.#cards.get(toText(data['card_id']))
      if (!card)
        return apiError(230099, 'Failed to create card content, ext=ErrCode: 200740; ErrMsg: cardid is invalid')
      return { ...plainContent(toCardText(card)), cardId: card.id, unfinished: card.streaming }
    }
    if (content['type'] === 'template') return plainContent('')
    if (!isCard(content))
      return apiError(230099, 'Failed to create card content, ext=ErrCode: 11310; ErrMsg: no element')
    return plainContent(listElements(content).map(toElementText).join('\n'))
  }

  /** Records that a message shows a card. */
  attach(cardId: string, messageId: string): void {
    this.#cards.get(cardId)?.messageIds.push(messageId)
  }

  /** Handles the conversion of a message's card JSON to a card entity. */
  convert(messageId: string): Answer {
    const message = this.#state.messages.get(messageId)
    if (!message || message.deleted || message.type !== 'interactive') return apiError(10002, 'invalid message_id')
    const known = [...this.#cards.values()].find(({ messageIds }) => messageIds.includes(messageId))
    const card = known ?? this.#storeCard(parseInnerJson(message.content) ?? {})
    if (!known) card.messageIds.push(messageId)
    return success({ card_id: card.id })
  }

  /** Handles a streaming update of one element with the whole text so far. */
  stream(cardId: string, elementId: string, body: Json): Answer {
    return this.#applyOperation(cardId, body, (card) => {
      if (!card.streaming) return apiError(card.streamingUntilMs > 0 ? 200850 : 300309)
      const element = listElements(card.json).find((one) => one['element_id'] === elementId)
      if (!element) return apiError(300313)
      const content = toText(body['content'])
      if (content === '' || content.length > ELEMENT_CHARACTERS) return apiError(10002, 'invalid content')
      card.streamed.set(elementId, content)
      return success()
    })
  }

  /** Handles a change of settings, mainly `streaming_mode`. */
  settings(cardId: string, body: Json): Answer {
    return this.#applyOperation(cardId, body, (card) => {
      const config = parseInnerJson(body['settings'])?.['config']
      if (!isRecord(config)) return apiError(10002, 'invalid settings')
      if (config['update_multi'] === false) return apiError(300302)
      if (typeof config['streaming_mode'] === 'boolean') this.#setStreaming(card, config['streaming_mode'])
      return success()
    })
  }

  /** Handles the replacement of a card. */
  update(cardId: string, body: Json): Answer {
    return this.#applyOperation(cardId, body, (card) => {
      const data = isRecord(body['card']) ? body['card']['data'] : null
      const json = parseInnerJson(data)
      if (json === null || !isCard(json)) return apiError(200220, 'Failed to generate card content')
      if (Buffer.byteLength(toText(data)) > CARD_BYTES) return apiError(200860)
      card.json = json
      card.streamed.clear()
      this.#setStreaming(card, isStreaming(json))
      return success()
    })
  }

  #storeCard(json: Json): Card {
    const untilMs = this.#state.clock.now() + CARD_LIFE_MS
    const card: Card = {
      id: this.#state.newNumber(),
      json,
      streamed: new Map(),
      streaming: false,
      streamingUntilMs: 0,
      sequence: 0,
      uuids: new Set(),
      messageIds: [],
      untilMs,
      operations: [],
    }
    this.#cards.set(card.id, card)
    this.#setStreaming(card, isStreaming(json))
    return card
  }

  #applyOperation(cardId: string, body: Json, act: (card: Card) => Answer): Answer {
    const card = this.#cards.get(cardId)
    const now = this.#state.clock.now()
    if (!card) return apiError(200740)
    if (card.untilMs <= now) return apiError(200750)
    const { sequence, uuid } = body
    if (typeof sequence !== 'number' || !Number.isInteger(sequence) || sequence < 1) return invalidParameter('sequence')
    if (typeof uuid === 'string' && card.uuids.has(uuid)) return apiError(200770, 'UUID conflict')
    if (sequence <= card.sequence) return apiError(300317)
    const recent = card.operations.filter((atMs) => atMs > now - 1_000)
    if (this.#isLimited && recent.length >= OPERATIONS_PER_SECOND) return apiError(230020)
    const answer = act(card)
    if (answer.status !== 200) return answer
    card.operations = [...recent, now]
    card.sequence = sequence
    if (typeof uuid === 'string') card.uuids.add(uuid)
    this.#show(card)
    return answer
  }

  #setStreaming(card: Card, isOn: boolean): void {
    card.streaming = isOn
    card.streamingUntilMs = isOn ? this.#state.clock.now() + this.#streamLifeMs : 0
    if (isOn) void this.#endStreaming(card, card.streamingUntilMs)
  }

  async #endStreaming(card: Card, untilMs: number): Promise<void> {
    await this.#state.clock.sleep(this.#streamLifeMs, this.#ended)
    if (this.#ended.aborted || !card.streaming || card.streamingUntilMs !== untilMs) return
    card.streaming = false
    this.#show(card)
  }

  #show(card: Card): void {
    for (const id of card.messageIds) this.#state.chatStore.replaceBotText(id, toCardText(card), card.streaming)
  }
}

const isStreaming = ({ config }: Json): boolean => isRecord(config) && config['streaming_mode'] === true

/** Whether a card is shared, so that updates reach everyone. */
export const isShared = ({ config }: Json): boolean => isRecord(config) && config['update_multi'] === true

/** Returns the elements of a card of any schema, including nested ones. */
function listElements(json: Json): readonly Json[] {
  const body = isRecord(json['body']) ? json['body'] : json
  const direct = Array.isArray(body['elements']) ? body['elements'].filter(isRecord) : []
  return direct.flatMap((element) => [element, ...listElements(element), ...listColumnElements(element)])
}

const listColumnElements = ({ columns }: Json): readonly Json[] =>
  Array.isArray(columns) ? columns.filter(isRecord).flatMap(listElements) : []

const isCard = (json: Json): boolean => listElements(json).length > 0 || isRecord(json['header'])

function toCardText(card: Card): string {
  const texts = listElements(card.json).map(
    (element) => card.streamed.get(toText(element['element_id'])) ?? toElementText(element),
  )
  return texts.filter((text) => text !== '').join('\n')
}

function toElementText(element: Json): string {
  if (element['tag'] === 'hr') return '---'
  if (typeof element['content'] === 'string') return element['content']
  return isRecord(element['text']) ? toText(element['text']['content']) : ''
}
