import { describePlatform } from '../../contract/platform.contract.ts'
import { wecomHarness } from './wecom.contract.ts'

describePlatform('wecom', wecomHarness)
