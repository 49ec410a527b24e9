import { type ReactNode, useEffect, useState } from 'react'
import style from './preview.module.css'
import { sendTexts } from './texts.ts'
import type { ApiError } from '../../../api/client.ts'
import type { PreviewPart } from '../../../api/gateway-api.ts'
import { useCall } from '../../../api/queries.ts'
import { useFormat } from '../../../language/format.ts'
import { useTexts } from '../../../language/language.ts'
import { Card } from '../../../parts/layout.tsx'
import { type Platform, PlatformMark, PlatformName, platformTexts } from '../../../parts/platform.tsx'
import { Segments } from '../../../parts/radio-group.tsx'
import { RichText } from '../../../parts/rich-text.tsx'
import { Failure } from '../../../parts/states.tsx'

const PAUSE_MS = 250

/** Previews a text on one of these platforms. */
export function Preview({
  text,
  platforms,
}: {
  readonly text: string
  readonly platforms: readonly Platform[]
}): ReactNode {
  const texts = useTexts(sendTexts)
  const names = useTexts(platformTexts)
  const [chosen, setChosen] = useState<Platform | null>(null)
  const platform = chosen !== null && platforms.includes(chosen) ? chosen : (platforms[0] ?? null)
  return (
    <Card title={texts.preview}>
      {platform !== null && platforms.length > 1 && (
        <Segments<Platform>
          label={texts.previewOn}
          value={platform}
          options={platforms.map((one) => [one, names[one]])}
          onChange={setChosen}
        />
      )}
      {platform !== null && <PhonePreview text={text} platform={platform} />}
    </Card>
  )
}

/** A chat as it looks on a phone. */
function PhonePreview({ text, platform }: { readonly text: string; readonly platform: Platform }): ReactNode {
  const texts = useTexts(sendTexts)
  const settled = useDebounced(text)
  const isEmpty = settled.trim() === ''
  const shown = useCall(
    'previewMessage',
    { params: { platform }, body: { message: settled } },
    { when: !isEmpty, keep: true },
  )
  const parts = isEmpty ? [] : (shown.data?.parts ?? [])
  return (
    <>
      <div className={style['phone']} data-platform={platform}>
        <div className={style['bar']}>
          <PlatformMark platform={platform} small /> <PlatformName platform={platform} />
        </div>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard */}
        <div className={style['chat']} role="group" aria-label={texts.preview} tabIndex={0}>
          {parts.length === 0 && <p className={style['empty']}>{texts.previewEmpty}</p>}
          {parts.slice(0, MAX_PARTS).map((part, place) => (
            <div key={place} className={style['bubble']}>
              <RichText blocks={part.blocks} />
            </div>
          ))}
        </div>
      </div>
      {shown.error !== null && !isEmpty && !isMessageEmpty(shown.error) && (
        <Failure error={shown.error} onRetry={() => void shown.refetch()} />
      )}
      {parts.length > MAX_PARTS && <p className={style['sizes']}>{texts.shownParts(MAX_PARTS)}</p>}
      {parts.length > 0 && <Sizes parts={parts} />}
    </>
  )
}

/** Reports whether the error only means that the message has no visible content. */
const isMessageEmpty = (error: ApiError): boolean => error.code === 'message_empty'

/** Number of parts shown of a long message. */
const MAX_PARTS = 12

function Sizes({ parts }: { readonly parts: readonly PreviewPart[] }): ReactNode {
  const texts = useTexts(sendTexts)
  const format = useFormat()
  return (
    <div className={style['sizes']}>
      {parts.length > 1 && <p>{texts.messages(parts.length)}</p>}
      {parts.slice(0, MAX_PARTS).map(({ size, limit, unit }, place) => {
        const words = texts.size[unit === 'bytes' ? 'bytes' : 'characters'](format.number(size), format.number(limit))
        return (
          <div key={place} className={style['size']}>
            <meter min={0} max={limit} value={size} aria-label={words} />
            <span>{words}</span>
          </div>
        )
      })}
    </div>
  )
}

/** Returns the text after a pause in typing. */
function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
