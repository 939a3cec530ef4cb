"""A list of cases with everything at once: 30 columns, as health authorities keep them."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from tests.traps.making import Maker, make_trap

if TYPE_CHECKING:
    from tests.traps.making import Trap


def line_list(rows: int = 150, seed: int = 99) -> Trap:
    """Make a list of cases as a health authority keeps it: 30 columns, twins, nested places, coordinates."""
    m = Maker(seed, rows)
    town, county = m.town()
    numbers = {name: f"{place + 11:02d}" for place, name in enumerate(sorted(set(county)))}
    onset = m.days("2015-01-01", 700)
    told = [day + dt.timedelta(days=m.random.choice([0, 0, 1, 2, 3, 5])) for day in onset]
    spots = [(m.random.uniform(22.5, 23.2), m.random.uniform(120.1, 120.6)) for _ in range(60)]
    drawn = [m.random.choice(spots) for _ in range(rows)]
    form = "%Y/%m/%d"
    return make_trap(
        "a list of cases",
        {
            "Case_no": (m.of(lambda: m.random.randrange(10**6, 10**7)), "i"),
            "Name": (m.full("en"), "i"),
            "Reporter_phone": (m.of(lambda: f"06-{m.random.randrange(10**6, 10**7)}"), "i"),
            "Date_Onset": ([day.strftime(form) for day in onset], "q"),
            "Date_Notification": ([day.strftime(form) for day in told], "q"),
            "Date_Confirmation": ([day.strftime(form) for day in told], "q-"),
            "Sex": (m.choice("F", "M"), "q"),
            "Age": (m.age(), "q"),
            "Age_Group": (m.choice("0-19", "20-39", "40-59", "60+"), "q-"),
            "County_living": (county, "q-"),
            "County_code": ([numbers[name] for name in county], "q-"),
            "Town_living": (town, "q"),
            "Village_living": (m.of(lambda: f"Village {m.random.randrange(90)}"), "q"),
            "Longitude": ([f"{east:.6f}" for _, east in drawn], "i-"),
            "Latitude": ([f"{north:.6f}" for north, _ in drawn], "i-"),
            "Enumeration_unit": (m.repeated(lambda n: f"A67{n:04d}-0{n % 10}", 60), "i-q"),
            "Serotype": (m.rarely(m.choice("1", "2", "3", "4"), 0.6), "s"),
            "PCR_result": (m.choice("positive", "negative", ""), "s"),
            "NS1_test": (m.choice("positive", "negative", ""), "s"),
            "Hospitalized": (m.choice("Y", "N"), "s"),
            "ICU": (m.flag("Y", 0.9), "s"),
            "Died": (m.flag("Y", 0.95), "s"),
            "Pregnant": (m.flag("Y", 0.9), "s"),
            "Imported": (m.choice("Y", "N"), "qs"),
            "Country_infected": (m.rarely(m.choice("P", "Q", "R"), 0.8), "q"),
            "Nationality": (m.choice("local", "local", "local", "other"), "q"),
            "Occupation": (m.choice("farmer", "teacher", "driver", "none"), "q"),
            "Platelet_Count": (m.number(20, 300), "s"),
            "Source": (["surveillance"] * rows, "-"),
            "Remarks": (m.rarely(m.prose(), 0.7), "i-"),
        },
    )
