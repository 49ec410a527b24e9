import type { ReactNode } from 'react'
import { Drawing } from './drawings.tsx'
import type { Way } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { scopesIn, type Step, WAYS } from './way-words.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { Copy } from '../../../parts/copy.tsx'
import { Icon } from '../../../parts/icon.tsx'
import type { Platform } from '../../../parts/platform.tsx'

/** What the person does, in order; with a picture where one helps. */
export function SetupSteps({ platform, way }: { readonly platform: Platform; readonly way: Way }): ReactNode {
  const texts = useTexts(setupTexts)
  const words = WAYS[`${platform}.${way.kind}`]
  return (
    <section className={style['steps']} aria-labelledby="setup-steps">
      <h2 id="setup-steps">{texts.steps}</h2>
      <ol>
        {words
          ? words.steps.map((step) => <OneStep key={step.words.en} step={step} instructions={way.instructions} />)
          : way.instructions.map((line) => <li key={line}>{line}</li>)}
      </ol>
    </section>
  )
}

function OneStep({ step, instructions }: { readonly step: Step; readonly instructions: readonly string[] }): ReactNode {
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
        {step.scopes && <Scopes scopes={scopesIn(instructions)} />}
        {step.drawing && <Drawing name={step.drawing} />}
      </div>
    </li>
  )
}

/** In the form that the developer console imports. */
function Scopes({ scopes }: { readonly scopes: readonly string[] }): ReactNode {
  const texts = useTexts(setupTexts)
  if (scopes.length === 0) return null
  const text = JSON.stringify({ scopes: { tenant: scopes, user: [] } }, null, 2)
  return (
    <div className={style['scopes']}>
      {/* a box that scrolls is reached by the keyboard */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} label={texts.copyScopes} />
    </div>
  )
}
