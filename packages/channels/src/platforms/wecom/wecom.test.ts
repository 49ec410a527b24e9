import { describePlatform } from '../../platform.contract.ts'
import { wecomHarness } from './wecom.contract.ts'

describePlatform('wecom', wecomHarness)
