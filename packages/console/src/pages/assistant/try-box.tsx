import { type ReactNode, useId, useState } from 'react'
import style from './assistant.module.css'
import { assistantTexts } from './texts.ts'
import type { Trial, TrialEnd, Trials } from './trial.ts'
import { errorMessage } from '../../language/errors.ts'
import { useFormat } from '../../language/format.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { TextArea } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Row } from '../../parts/layout.tsx'

const MAX_MESSAGE = 4_000

interface TryBoxProps {
  readonly trials: Trials
  readonly isUnsaved: boolean
  /** Sends a message using the settings in the form. */
  onAsk(message: string): void
}

/** A box to try the assistant with the settings in the form. */
export function TryBox({ trials: { trial, stop }, isUnsaved, onAsk }: TryBoxProps): ReactNode {
  const texts = useTexts(assistantTexts)
  const id = useId()
  const [message, setMessage] = useState<string>(texts.firstMessage)
  const isAsking = trial !== null && trial.end === null
  const ask = (): void => {
    if (message.trim() !== '' && !isAsking) onAsk(message.trim())
  }
  return (
    <section className={style['try']} aria-labelledby={id}>
      <div>
        <h2 id={id}>{texts.try}</h2>
        <p className={style['soft']}>{isUnsaved ? texts.tryUnsaved : texts.tryLead}</p>
      </div>
      {trial !== null && <TrialMessages trial={trial} />}
      <form
        className={style['ask']}
        onSubmit={(event) => {
          event.preventDefault()
          ask()
        }}
      >
        <TextArea
          label={texts.message}
          value={message}
          maxLength={MAX_MESSAGE}
          rows={3}
          onChange={setMessage}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) ask()
          }}
        />
        <Row>
          <Button type="submit" busy={isAsking} disabled={message.trim() === ''}>
            {!isAsking && <Icon name="send" />}
            {texts.ask}
          </Button>
          {isAsking && (
            <Button kind="quiet" onClick={stop}>
              {texts.stop}
            </Button>
          )}
        </Row>
      </form>
    </section>
  )
}

function TrialMessages({ trial: { question, text, files, end } }: { readonly trial: Trial }): ReactNode {
  const texts = useTexts(assistantTexts)
  const format = useFormat()
  return (
    <div className={style['said']}>
      <p className={style['question']}>
        <span className="visually-hidden">{texts.you}: </span>
        {question}
      </p>
      {(text !== '' || files.length > 0) && (
        <div className={style['answer']}>
          <span className="visually-hidden">{texts.it}: </span>
          {text}
          {files.map(({ name, bytes }) => (
            <span key={name} className={style['file']}>
              <Icon name="link" size={16} /> {texts.file(name, format.bytes(bytes))}
            </span>
          ))}
        </div>
      )}
      <p className={style['soft']} role="status">
        {end === null ? texts.answering : <TrialSummary end={end} isEmpty={text === '' && files.length === 0} />}
      </p>
      {end !== null && <TrialFailure end={end} />}
    </div>
  )
}

function TrialSummary({ end, isEmpty }: { readonly end: TrialEnd; readonly isEmpty: boolean }): ReactNode {
  const texts = useTexts(assistantTexts)
  const format = useFormat()
  if (end.is === 'stopped') return texts.stopped
  if (end.is !== 'complete') return null
  const took = texts.took(format.span(end.firstMs), format.span(end.wholeMs))
  return isEmpty ? `${texts.noText} ${took}` : took
}

function TrialFailure({ end }: { readonly end: TrialEnd }): ReactNode {
  const texts = useTexts(assistantTexts)
  const { language } = useLanguage()
  if (end.is === 'refused') {
    return (
      <Notice tone="bad" alert>
        {errorMessage(end.error, language)}
      </Notice>
    )
  }
  if (end.is !== 'failed') return null
  const reasons: Readonly<Record<string, string | undefined>> = texts.reasons
  return (
    <Notice tone="bad" alert>
      <p>
        <strong>{texts.failed}.</strong> {reasons[end.reason]}
      </p>
      <p className={style['soft']}>
        {texts.itSaid} <span lang="en">{end.words}</span>
      </p>
    </Notice>
  )
}
