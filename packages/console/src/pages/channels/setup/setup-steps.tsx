import type { ReactNode } from 'react'
import { Drawing } from './drawings.tsx'
import type { SetupMethod } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { extractScopes, type Step, INSTRUCTIONS } from './instructions.ts'
import { useLanguage, useTexts } from '../../../language/language.ts'
import { CopyButton } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import type { Platform } from '../../../parts/platform.tsx'

/** The instructions of a method, some with drawings. */
export function SetupSteps({
  platform,
  method,
}: {
  readonly platform: Platform
  readonly method: SetupMethod
}): ReactNode {
  const texts = useTexts(setupTexts)
  const words = INSTRUCTIONS[`${platform}.${method.kind}`]
  return (
    <section className={style['steps']} aria-labelledby="setup-steps">
      <h2 id="setup-steps">{texts.steps}</h2>
      <ol>
        {words
          ? words.steps.map((step) => <StepItem key={step.words.en} step={step} instructions={method.instructions} />)
          : method.instructions.map((line) => <li key={line}>{line}</li>)}
      </ol>
    </section>
  )
}

function StepItem({
  step,
  instructions,
}: {
  readonly step: Step
  readonly instructions: readonly string[]
}): ReactNode {
  const texts = useTexts(setupTexts)
  const { language } = useLanguage()
  return (
    <li>
      <div className={style['step']}>
        <p>{step.words[language]}</p>
        {step.link && (
          <a href={step.link.url} target="_blank" rel="noreferrer">
            {step.link.label[language]} <Icon name="external" size={14} />
            <span className="visually-hidden"> ({texts.opensNew})</span>
          </a>
        )}
        {step.scopes && <Scopes scopes={extractScopes(instructions)} />}
        {step.drawing && <Drawing name={step.drawing} />}
      </div>
    </li>
  )
}

/** The permissions in the format that Feishu's developer console imports. */
function Scopes({ scopes }: { readonly scopes: readonly string[] }): ReactNode {
  const texts = useTexts(setupTexts)
  if (scopes.length === 0) return null
  const text = JSON.stringify({ scopes: { tenant: scopes, user: [] } }, null, 2)
  return (
    <div className={style['scopes']}>
      {/* focusable, so that it can be scrolled by keyboard */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} label={texts.copyScopes} />
    </div>
  )
}
